"""Releases made on a cluster: the same steps as on one machine, each on partitions, combined by sums."""
