import subprocess
subprocess.run(["echo", "gitlab-ctl promote-db"])
subprocess.run(["grep", "promote-db", "log"])
print(["gitlab-ctl", "promote-db"])
DOCS = ["gitlab-ctl", "promote-db"]
