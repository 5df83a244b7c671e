/** Common parts of the stress tests. */
package io.rocketbufs.stress;
