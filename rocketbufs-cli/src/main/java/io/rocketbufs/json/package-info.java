/** JSON, written and read. */
package io.rocketbufs.json;
