export default { name: '', connect() {} };
