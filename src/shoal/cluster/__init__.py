"""A release made on a cluster: the same steps as on one machine, each on partitions, and sums where the steps meet."""
