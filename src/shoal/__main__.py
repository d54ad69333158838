"""`python -m shoal` is the command `shoal`."""

from shoal.app.cli.start import main

main()
