/** Generators and checks of the pages under docs/reference, for use by the tests of the described modules. */
package io.rocketbufs.reference;
