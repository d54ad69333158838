"""`python -m shoal` is the command `shoal`."""

from shoal.app.cli.main import main

main()
