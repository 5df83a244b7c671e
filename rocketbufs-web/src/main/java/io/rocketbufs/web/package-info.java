/** A server for HTTP/1.1 and TLS: connections and their limits, requests and responses, certificates, and metrics. */
package io.rocketbufs.web;
