/** Example programs: each is small, is run by a test, and is quoted by the documents. */
package io.rocketbufs.examples;
