"""shoal studio: the way from a file to a verified release as a local web page.

The server (`app`, started by `server`) shows pages and keeps sources and jobs as plain files (`store`). Everything that reads data runs in
a process of its own (`worker`), which the server starts, watches and cancels (`processes`). `guard` decides who may ask for what.
"""
