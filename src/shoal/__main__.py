"""`python -m shoal` is the command `shoal`."""

from shoal.cli.start import main

main()
