package io.rocketbufs.rocketnet.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rocketbufs.memory.MemoryPool;
import io.rocketbufs.memory.Region;
import io.rocketbufs.rocketnet.LentWord;
import io.rocketbufs.rocketnet.TransportException;
import io.rocketbufs.rocketnet.rdma.ofi.Ofi;
import io.rocketbufs.rocketnet.rdma.ofi.OfiConstants;
import io.rocketbufs.rocketnet.rdma.ofi.OfiInfo;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests of the values of words while they are lent and after their memory has been reused. The test acts as the peer.
 */
final class RdmaWordsTest {
    private final Ofi ofi = Ofi.load("libfabric.so.1");
    private final MemoryPool pool = new MemoryPool(1 << 20);
    private RdmaFabric fabric;
    private long domain;
    private RdmaMemory memory;
    private RdmaWords words;
    private ByteBuffer page;

    @BeforeEach
    void open() {
        OfiInfo info = RdmaProviders.find(ofi, "tcp", RdmaEnds.loopback(0), OfiConstants.FI_SOURCE);
        try {
            fabric = RdmaFabric.open(ofi, info);
            domain = ofi.domain(fabric.fid(), info);
            memory = new RdmaMemory(ofi, domain, info, new RdmaKeys());
        } finally {
            ofi.freeinfo(info);
        }
        page = nextPage();
        words = new RdmaWords(pool, memory);
    }

    /** Returns a window over the memory that the pool allocates next. */
    private ByteBuffer nextPage() {
        Region region = pool.allocate(1);
        ByteBuffer window = region.window(0, (int) region.length());
        region.release();
        return window;
    }

    @AfterEach
    void close() {
        memory.close();
        ofi.close(domain);
        ofi.close(fabric.fid());
        pool.close();
    }

    @Test
    void shouldKeepTheLastValueWhenTheConnectionEnds() {
        LentWord first = words.lend();
        LentWord second = words.lend();
        page.putLong(0, 100);
        page.putLong(Long.BYTES, 200);
        assertThat(first.value()).isEqualTo(100);
        words.close();
        assertThat(first.value()).isEqualTo(100);
        assertThat(second.value()).isEqualTo(200);
    }

    @Test
    void shouldNotReadWordsOfTheNextConnectionWithTheSameMemory() {
        LentWord old = words.lend();
        page.putLong(0, 100);
        words.close();
        RdmaWords others = new RdmaWords(pool, memory);
        LentWord other = others.lend();
        page.putLong(0, 4242);
        assertThat(other.value()).as("value in the same memory").isEqualTo(4242);
        assertThat(old.value()).isEqualTo(100);
        old.takeBack();
        assertThat(old.value()).isEqualTo(100);
        assertThat(other.value()).isEqualTo(4242);
        others.close();
    }

    @Test
    void shouldKeepTheValueOfAWordThatWasTakenBackAndLentAgain() {
        LentWord old = words.lend();
        page.putLong(0, 7);
        old.takeBack();
        LentWord next = words.lend();
        assertThat(next.access()).isEqualTo(old.access());
        assertThat(next.value()).isZero();
        page.putLong(0, 8);
        old.takeBack();
        assertThat(old.value()).isEqualTo(7);
        assertThat(next.value()).isEqualTo(8);
        words.close();
        assertThat(old.value()).isEqualTo(7);
        assertThat(next.value()).isEqualTo(8);
    }

    @Test
    void shouldLendNoWordsAfterClose() {
        words.close();
        long allocated = pool.allocatedLength();
        assertThatThrownBy(words::lend)
                .isInstanceOfSatisfying(
                        TransportException.class,
                        failure -> assertThat(failure.code()).isEqualTo(TransportException.Code.CLOSED));
        assertThat(pool.allocatedLength()).isEqualTo(allocated);
    }
}
