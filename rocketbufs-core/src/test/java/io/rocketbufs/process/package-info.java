/** Programs that tests start as separate processes. */
package io.rocketbufs.process;
