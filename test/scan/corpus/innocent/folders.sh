#!/bin/sh
cd projects/web/services
cp -r "$HOME/projects/web/services" /tmp
ls /projects/1/services
git add projects/1/services
