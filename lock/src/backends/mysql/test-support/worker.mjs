// Makes the backend of a process of the contract suite, from the built package.
import mysql from 'mysql2/promise';
import { mysqlBackend } from '../../../../dist/backends/mysql/index.mjs';

export default function create({ url, options }) {
  return mysqlBackend(mysql.createPool({ uri: url, connectTimeout: 5_000 }), options);
}
