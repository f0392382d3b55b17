import urllib.request
req = urllib.request.Request("%s/api/v4/runners?status=paused" % host, headers={"PRIVATE-TOKEN": t})
print(urllib.request.urlopen(req).read())
