package io.rocketbufs.rbmq.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.rocketnet.TransportException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("once")
final class DeparturesLayoutTest {
    @Test
    void shouldReadWhatItWrites() {
        ByteBuffer message = DeparturesLayout.write(7, 1L << 40);
        assertThat(RbmqMessage.type(message)).isEqualTo(RbmqType.DEPARTURES);
        assertThat(DeparturesLayout.subscription(message)).isEqualTo(7);
        assertThat(DeparturesLayout.count(message)).isEqualTo(1L << 40);
    }

    @Test
    void shouldRejectABodyThatIsCutOff() {
        ByteBuffer message = DeparturesLayout.write(7, 8);
        message.limit(message.limit() - 1);
        assertThatThrownBy(() -> RbmqMessage.type(message))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("DEPARTURES has a body of only 11 bytes");
    }
}
