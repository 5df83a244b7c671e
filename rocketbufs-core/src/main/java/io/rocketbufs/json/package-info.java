/** An encoder and parser of JSON. */
package io.rocketbufs.json;
