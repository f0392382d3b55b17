import subprocess

subprocess.run(["sudo", "gitlab-ctl", "promote-db"], check=True)
subprocess.check_call("gitlab-ctl promote-to-primary-node", shell=True)
