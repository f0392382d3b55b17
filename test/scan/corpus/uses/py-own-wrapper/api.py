from ours import read_all, HEADERS  # adds PRIVATE-TOKEN

idle = read_all("/runners/all?status=paused", HEADERS)
for runner in read_all("/runners", {"status": "active"}):
    if runner["status"] == "not_connected":
        print(runner)
