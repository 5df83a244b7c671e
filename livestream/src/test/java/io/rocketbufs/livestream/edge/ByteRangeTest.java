package io.rocketbufs.livestream.edge;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ByteRangeTest {
    private static final String TAG = "\"tag\"";
    private static final ByteRange ALL = ByteRange.all(10);

    @ParameterizedTest
    @CsvSource({
        "bytes=0-3, 206, 0, 4, bytes 0-3/10",
        "bytes=9-, 206, 9, 1, bytes 9-9/10",
        "bytes=4-99, 206, 4, 6, bytes 4-9/10",
        "bytes=-3, 206, 7, 3, bytes 7-9/10",
        "bytes=-99, 206, 0, 10, bytes 0-9/10",
        "bytes=10-, 416, 0, 0, bytes */10",
        "bytes=10-3, 416, 0, 0, bytes */10",
        "bytes=-0, 416, 0, 0, bytes */10",
    })
    void shouldFindTheRequestedBytes(String range, int status, int first, int length, String header) {
        ByteRange found = ByteRange.of(request(HttpMethod.GET, range), TAG, 10);

        assertThat(found).isEqualTo(new ByteRange(status, first, length, 10));
        assertThat(found.header()).isEqualTo(header);
    }

    @ParameterizedTest
    @CsvSource({"bytes=3-1", "bytes=-", "'bytes=0-1,3-4'", "bytes=a-b", "chunks=0-1", "bytes=0-1234567890123456789"})
    void shouldIgnoreAnUnsupportedRange(String range) {
        assertThat(ByteRange.of(request(HttpMethod.GET, range), TAG, 10)).isEqualTo(ALL);
    }

    @Test
    void shouldIgnoreTheRangeOfAnotherMethodOrAnotherFile() {
        HttpRequest same = request(HttpMethod.GET, "bytes=0-1");
        same.headers().set(HttpHeaderNames.IF_RANGE, TAG);
        HttpRequest other = request(HttpMethod.GET, "bytes=0-1");
        other.headers().set(HttpHeaderNames.IF_RANGE, "\"other\"");

        assertThat(ByteRange.of(same, TAG, 10).status()).isEqualTo(206);
        assertThat(ByteRange.of(other, TAG, 10)).isEqualTo(ALL);
        assertThat(ByteRange.of(request(HttpMethod.HEAD, "bytes=0-1"), TAG, 10)).isEqualTo(ALL);
        assertThat(ALL.header()).isEmpty();
    }

    private static HttpRequest request(HttpMethod method, String range) {
        HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, "/");
        request.headers().set(HttpHeaderNames.RANGE, range);
        return request;
    }
}
