/** RocketNet through shared memory, between processes on the same machine. */
package io.rocketbufs.rocketnet.shm;
