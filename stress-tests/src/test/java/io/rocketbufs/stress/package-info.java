/** What the stress tests share. */
package io.rocketbufs.stress;
