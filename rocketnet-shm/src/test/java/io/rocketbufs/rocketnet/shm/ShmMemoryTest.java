package io.rocketbufs.rocketnet.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

final class ShmMemoryTest {
    private static final int LENGTH = ShmLayout.SHORTEST_CHANNEL;
    private static final int ALLOW_SEALING = 2;

    private static int unsealed(long length) throws IOException {
        ByteBuffer name = ShmCalls.string("test");
        ShmCalls create = ShmCalls.of("memfd_create");
        int descriptor = create.check(create.call(ShmCalls.address(name), ALLOW_SEALING));
        Reference.reachabilityFence(name);
        ShmCalls truncate = ShmCalls.of("ftruncate");
        truncate.check(truncate.call(descriptor, length));
        return descriptor;
    }

    private static String refusal(int descriptor, int channelLength) {
        try {
            return ShmMemory.refusal(descriptor, channelLength);
        } finally {
            ShmSocket.closeDescriptor(descriptor);
        }
    }

    @Test
    void shouldAcceptMemoryThatWasCreatedByTheSameRules() throws IOException {
        assertThat(refusal(ShmMemory.create(LENGTH), LENGTH)).isNull();
    }

    @Test
    void shouldRefuseMemoryThatItsOwnerCanShrink() throws IOException {
        assertThat(refusal(unsealed(ShmLayout.memoryLength(LENGTH)), LENGTH)).contains("not sealed against shrinking");
    }

    @Test
    void shouldRefuseMemoryThatIsShorterThanAnnounced() throws IOException {
        assertThat(refusal(ShmMemory.create(LENGTH), 2 * LENGTH))
                .contains("wrong length: length=" + ShmLayout.memoryLength(LENGTH));
    }

    @Test
    void shouldRefuseADescriptorThatIsNotMemory() throws IOException {
        ShmSocket socket = ShmSocket.open();
        assertThat(refusal(socket.descriptor(), LENGTH)).contains("not sealed");
        assertThat(ShmMemory.refusal(-1, LENGTH)).contains("exactly one descriptor");
    }

    @Test
    void shouldStayAccessibleToALateWriterWhenItIsReplaced() throws Exception {
        int descriptor = ShmMemory.create(LENGTH);
        ShmMemory written = ShmMemory.map(descriptor, LENGTH);
        ShmMemory peers = ShmMemory.map(descriptor, LENGTH);
        ShmSocket.closeDescriptor(descriptor);
        written.publish(ShmLayout.PRODUCED, 16);
        written.replace();
        written.publish(ShmLayout.PRODUCED, 32);
        assertThat(peers.position(ShmLayout.PRODUCED)).isEqualTo(16);
        peers.unmap();
        written.unmap();
    }

    @Test
    void shouldNotLetThePeerShrinkOrGrowTheMemory() throws IOException {
        int descriptor = ShmMemory.create(LENGTH);
        ShmCalls truncate = ShmCalls.of("ftruncate");
        assertThat((int) truncate.call(descriptor, 0)).isEqualTo(-1);
        assertThat((int) truncate.call(descriptor, 2 * ShmLayout.memoryLength(LENGTH)))
                .isEqualTo(-1);
        ShmSocket.closeDescriptor(descriptor);
    }
}
