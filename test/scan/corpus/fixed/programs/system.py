import os, subprocess
os.system("sudo gitlab-ctl promote")
subprocess.run(["gitlab-ctl", "promote", "--force"], check=True)
