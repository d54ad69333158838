"""Coverage-guided fuzzers of the parsers: C++ with libFuzzer, lines of access logs by mutation in Python."""
