import os, subprocess
os.system("ssh standby 'sudo gitlab-ctl promote-db'")
cmd = ["ssh", "standby", "sudo", "gitlab-ctl", "promote-to-primary-node"]
subprocess.check_call(["ssh", "standby", "sudo gitlab-ctl promote-to-primary-node"])
