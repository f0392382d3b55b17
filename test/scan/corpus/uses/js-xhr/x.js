const xhr = new XMLHttpRequest();
xhr.open('POST', 'https://gitlab.example.com/api/v4/projects/1/managed_licenses');
xhr.send(JSON.stringify({ name: 'MIT', approval_status: 'blacklisted' }));
const list = new XMLHttpRequest();
list.open('GET', '/api/v4/runners?status=active');
list.send();
