"""Releases made on a Spark cluster.

The steps are those of a run on one machine. Each step works on partitions of the data, and sums combine their results.
"""
