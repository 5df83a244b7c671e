/** Reading and writing of JSON. */
package io.rocketbufs.json;
