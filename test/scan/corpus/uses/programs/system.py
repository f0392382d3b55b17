import os, subprocess
os.system("sudo gitlab-ctl promote-db")
subprocess.run(["gitlab-ctl", "promote-to-primary-node", "--force"], check=True)
