const a = new XMLHttpRequest();
a.open('GET', 'https://gitlab.example.com/api/v4/projects/1/managed_licenses');
a.send();
const b = new XMLHttpRequest();
b.open('POST', 'https://shop.example.com/reviews');
b.send(JSON.stringify({ approval_status: 'approved' }));
window.open('https://gitlab.example.com/admin/runners?status=paused');
