/** Classes that the stress tests share, and the test that runs them. */
package io.rocketbufs.stress;
