/** Programs to start from: each is small, is run by a test, and is what the documents quote. */
package io.rocketbufs.examples;
