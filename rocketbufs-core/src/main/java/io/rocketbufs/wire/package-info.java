/** Control messages and their layouts, independent of the transport. */
package io.rocketbufs.wire;
