<?php
$ch = curl_init();
curl_setopt($ch, CURLOPT_URL, 'https://code.example.com/api/v4/runners?' . http_build_query(['status' => 'paused']));
curl_exec($ch);
