<?php
exec('sudo gitlab-ctl promote-db', $out);
