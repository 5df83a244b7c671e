/** Small example programs, each of which is run by a test and quoted in the documentation. */
package io.rocketbufs.examples;
