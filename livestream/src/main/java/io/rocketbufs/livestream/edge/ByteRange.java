package io.rocketbufs.livestream.edge;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a file that a request selects with a byte range (RFC 9110, 14).
 *
 * @param status HTTP status of the response: 200 for the whole file, 206 for a part, 416 for an invalid range
 * @param first index of the first byte
 * @param length number of bytes
 * @param whole length of the whole file
 */
record ByteRange(int status, int first, int length, int whole) {
    /** A request for several ranges receives the whole file in response, which the RFC permits. */
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{0,18})-(\\d{0,18})");

    /** Returns all bytes of a file. */
    static ByteRange all(int whole) {
        return new ByteRange(200, 0, whole, whole);
    }

    /** Returns the part that a request selects from a file with the given entity tag and length. */
    static ByteRange of(HttpRequest request, String tag, int whole) {
        Matcher range = RANGE.matcher(request.headers().get(HttpHeaderNames.RANGE, ""));
        String condition = request.headers().get(HttpHeaderNames.IF_RANGE, tag);
        if (!request.method().equals(HttpMethod.GET) || !condition.equals(tag) || !range.matches()) {
            return all(whole);
        }
        boolean isSuffix = range.group(1).isEmpty();
        if (isSuffix && range.group(2).isEmpty()) {
            return all(whole);
        }
        long last = isSuffix || range.group(2).isEmpty() ? whole - 1 : Long.parseLong(range.group(2));
        long first = isSuffix ? Math.max(0, whole - Long.parseLong(range.group(2))) : Long.parseLong(range.group(1));
        if (last < first) {
            return isSuffix || first >= whole ? new ByteRange(416, 0, 0, whole) : all(whole);
        }
        return first >= whole
                ? new ByteRange(416, 0, 0, whole)
                : new ByteRange(206, (int) first, (int) (Math.min(last, whole - 1) - first + 1), whole);
    }

    /** Returns the value of the Content-Range header; empty for the whole file. */
    String header() {
        return switch (status) {
            case 206 -> "bytes " + first + "-" + (first + length - 1) + "/" + whole;
            case 416 -> "bytes */" + whole;
            default -> "";
        };
    }
}
