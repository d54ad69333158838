"""What is computed with a secret key: codes of texts, shares of secrets, sealed texts."""
