/** An encoder and a parser of JSON. */
package io.rocketbufs.json;
