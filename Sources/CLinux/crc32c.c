#include "clinux.h"

#include <pthread.h>
#include <string.h>

// The reflected polynomial 0x82F63B78 (RFC 3720 appendix B.4), eight bytes a step from tables, and the SSE 4.2 or
// ARMv8 instruction where the processor has it.

static uint32_t table[8][256];

static void fill_tables(void) {
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0x82F63B78u : crc >> 1;
        table[0][n] = crc;
    }
    for (uint32_t n = 0; n < 256; n++)
        for (int k = 1; k < 8; k++) table[k][n] = (table[k - 1][n] >> 8) ^ table[0][table[k - 1][n] & 0xFF];
}

static uint32_t crc_by_table(uint32_t crc, const unsigned char *p, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill_tables);
    while (count >= 8) {
        uint32_t low, high;
        memcpy(&low, p, 4);
        memcpy(&high, p + 4, 4);
        low ^= crc;
        crc = table[7][low & 0xFF] ^ table[6][(low >> 8) & 0xFF] ^ table[5][(low >> 16) & 0xFF] ^ table[4][low >> 24] ^
              table[3][high & 0xFF] ^ table[2][(high >> 8) & 0xFF] ^ table[1][(high >> 16) & 0xFF] ^ table[0][high >> 24];
        p += 8;
        count -= 8;
    }
    while (count-- > 0) crc = (crc >> 8) ^ table[0][(crc ^ *p++) & 0xFF];
    return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

#define CRC_TARGET __attribute__((target("sse4.2")))
#define CRC_WORD(crc, word) _mm_crc32_u64(crc, word)
#define CRC_BYTE(crc, byte) _mm_crc32_u8((uint32_t)(crc), byte)
static int has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>

#define CRC_TARGET
#define CRC_WORD(crc, word) __crc32cd((uint32_t)(crc), word)
#define CRC_BYTE(crc, byte) __crc32cb((uint32_t)(crc), byte)
static int has_instruction(void) { return 1; }
#endif

#ifdef CRC_WORD
// An instruction waits three cycles for the one before, so that three stretches go side by side; their checks are then
// put one behind the other. A check behind which `stretch` zeros come is a linear map of its 32 bits: a table for each byte.
enum { long_stretch = 8192, short_stretch = 1024 };
static uint32_t after_long[4][256], after_short[4][256];

static void fill_shift(uint32_t shift[4][256], size_t stretch) {
    static const unsigned char zeros[short_stretch];
    uint32_t bits[32];
    for (int bit = 0; bit < 32; bit++) {
        bits[bit] = 1u << bit;
        for (size_t left = stretch; left > 0; left -= sizeof zeros) bits[bit] = crc_by_table(bits[bit], zeros, sizeof zeros);
    }
    for (int byte = 0; byte < 4; byte++)
        for (uint32_t n = 0; n < 256; n++) {
            shift[byte][n] = 0;
            for (int bit = 0; bit < 8; bit++) shift[byte][n] ^= n >> bit & 1 ? bits[8 * byte + bit] : 0;
        }
}

static void fill_shifts(void) {
    fill_shift(after_long, long_stretch);
    fill_shift(after_short, short_stretch);
}

static uint32_t shifted(uint32_t shift[4][256], uint32_t crc) {
    return shift[0][crc & 0xFF] ^ shift[1][(crc >> 8) & 0xFF] ^ shift[2][(crc >> 16) & 0xFF] ^ shift[3][crc >> 24];
}

static uint64_t word_at(const unsigned char *p) {
    uint64_t word;
    memcpy(&word, p, 8);
    return word;
}

CRC_TARGET static uint32_t crc_of_three(uint32_t crc, const unsigned char *p, size_t stretch, uint32_t shift[4][256]) {
    uint64_t first = crc, second = 0, third = 0;
    for (size_t at = 0; at < stretch; at += 8) {
        first = CRC_WORD(first, word_at(p + at));
        second = CRC_WORD(second, word_at(p + stretch + at));
        third = CRC_WORD(third, word_at(p + 2 * stretch + at));
    }
    second ^= shifted(shift, (uint32_t)first);
    return (uint32_t)third ^ shifted(shift, (uint32_t)second);
}

CRC_TARGET static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p, size_t count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (count >= 3 * short_stretch) pthread_once(&once, fill_shifts);
    for (; count >= 3 * long_stretch; p += 3 * long_stretch, count -= 3 * long_stretch)
        crc = crc_of_three(crc, p, long_stretch, after_long);
    for (; count >= 3 * short_stretch; p += 3 * short_stretch, count -= 3 * short_stretch)
        crc = crc_of_three(crc, p, short_stretch, after_short);
    for (; count >= 8; p += 8, count -= 8) crc = (uint32_t)CRC_WORD(crc, word_at(p));
    while (count-- > 0) crc = CRC_BYTE(crc, *p++);
    return crc;
}
#else
static uint32_t crc_by_instruction(uint32_t crc, const unsigned char *p, size_t count) { return crc_by_table(crc, p, count); }
static int has_instruction(void) { return 0; }
#endif

uint32_t reelfs_crc32c(uint32_t seed, const void *bytes, size_t count) {
    uint32_t crc = ~seed;
    crc = has_instruction() ? crc_by_instruction(crc, bytes, count) : crc_by_table(crc, bytes, count);
    return ~crc;
}

uint32_t reelfs_crc32c_by_table(uint32_t seed, const void *bytes, size_t count) { return ~crc_by_table(~seed, bytes, count); }
