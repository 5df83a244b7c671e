/** Small example programs. Each is run by a test and described in the documentation. */
package io.rocketbufs.examples;
