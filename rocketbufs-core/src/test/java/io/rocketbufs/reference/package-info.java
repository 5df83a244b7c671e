/** Generators and checks of the pages under docs/reference, for the tests of the modules that the pages describe. */
package io.rocketbufs.reference;
