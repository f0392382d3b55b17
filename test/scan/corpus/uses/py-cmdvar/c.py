import subprocess
cmd = ["sudo", "gitlab-ctl", "promote-db"]
subprocess.run(cmd, check=True)
