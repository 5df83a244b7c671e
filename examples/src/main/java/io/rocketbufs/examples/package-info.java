/** Small example programs. A test runs each of them, and the documentation describes them. */
package io.rocketbufs.examples;
