<?php
$runners = json_decode(file_get_contents('https://code.example.com/api/v4/runners?private_token=' . $t), true);
foreach ($runners as $runner) {
    if ($runner['status'] === 'not_connected') {
        echo $runner['id'];
    }
}
