"""What several tests share: data, twins of kernels, the independent checker, tampering, a shell."""
