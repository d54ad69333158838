"""Names of the lines that the figures of the thesis have, and what is measured of each."""

PRINTED1, PRINTED2 = "Clump1 as printed", "Clump2 as printed"
CLUMP1, CLUMP2 = "Clump1, exact LCG", "Clump2, exact LCG"
PARTITION, PARTITION_LCG = "Partition", "Partition, LCG"
INCREASE = "Clump by increase"
MEASURES = ("loss", "mean_length", "mean_level")
